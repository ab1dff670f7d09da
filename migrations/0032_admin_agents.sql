-- The owner of a listing may turn off that agents of its admins work on it. It has a default, so
-- that the previous version can go on inserting listings without it.
alter table listings
  add column admin_agents boolean not null default true;
