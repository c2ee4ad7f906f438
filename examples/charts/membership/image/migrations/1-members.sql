create table members (
  id bigint generated always as identity primary key,
  name text not null
);
-- The application need not be the owner of its tables.
grant select on members, schema_migrations to public;
