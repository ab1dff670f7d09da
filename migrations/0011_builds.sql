-- A copy may be one of an edition. What it was bought as stays with it, also when the edition is no longer sold.
alter table licences
  add column edition_uid uuid,
  add column edition_kind text;

-- When a channel's time is over, a job says so once: what shows the channel, and the catalog, then learn of it like of any other change.
alter table channels add column ended boolean not null default false;
create index channels_expiring on channels (game_uid, expires_at) where expires_at is not null;
create index channels_ending on channels (expires_at) where expires_at is not null and not ended;

-- A page also changes when nobody does anything: a channel ends.
create or replace function page_freshness(uid uuid, version bigint) returns text language sql stable as
  $$ select version || '.' || coalesce(sum(c.seq), 0) || '.' ||
       (select count(*) from channels e where e.game_uid = page_freshness.uid and e.expires_at <= now())
     from listing_changes c where c.game_uid = page_freshness.uid $$;

-- Where the bytes of a resumable upload are: a file of its own for whoever took the session over from one that may still be writing.
alter table upload_sessions
  add column part uuid,
  -- The file may still be written to by someone who lost the session: the next one goes on in a copy.
  add column part_contested boolean not null default false;

-- The checksum zips carry, so that a press zip needs no pass over the bytes; filled when first needed for images from before.
alter table listing_images add column crc32 bigint;
