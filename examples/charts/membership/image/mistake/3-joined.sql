alter table members add column joined date not null default current_date;
create index members_by_joined on members (join_date);
