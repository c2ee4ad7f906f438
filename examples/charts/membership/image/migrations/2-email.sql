alter table members add column email text;
update members set email = lower(name) || '@example.org';
