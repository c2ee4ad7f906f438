create unique index members_by_email on members (lower(email));
