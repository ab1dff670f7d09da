-- The search index of every process follows listing_changes. What a result shows of people leaves a change as well.
create function touch_listings_of_owner() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid) select uid from listings where owner_uid = new.uid;
  return null;
end $$;
create trigger touch_listings after update on users for each row
  when (old.username is distinct from new.username or (old.email_verified_at is null) <> (new.email_verified_at is null))
  execute function touch_listings_of_owner();

-- A hint that there is something to read; whoever misses it looks twice a second anyway.
create function announce_listing_changes() returns trigger language plpgsql as $$
begin
  perform pg_notify('listing_changes', '');
  return null;
end $$;
create trigger announce after insert on listing_changes for each statement execute function announce_listing_changes();

-- Whose changes a snapshot of the index has seen: a file from another database is of no use here.
create table catalog_identity (id uuid not null default gen_random_uuid());
insert into catalog_identity default values;
