-- Files that players send are noted here and added to storage_use by a job. One row per listing
-- would be locked until each report is committed, so that those of a popular game would wait for
-- each other. There is no foreign key: its check would lock the listing.
create table player_storage_changes (
  game_uid uuid not null,
  seq bigint generated always as identity,
  kind text not null,
  bytes bigint not null,
  primary key (game_uid, seq)
);

-- What each listing stores, with what was not added up yet.
create view stored_use as
select game_uid, kind, bytes
from storage_use
union all
select game_uid, kind, bytes
from player_storage_changes;

-- A listing that is being deleted has nothing to count.
create or replace function count_storage(game uuid, file_kind text, change bigint) returns void
language plpgsql as $$
begin
  if change = 0 then
    return;
  end if;
  if is_player_kind(file_kind) then
    insert into player_storage_changes (game_uid, kind, bytes)
    select uid, file_kind, change
    from all_listings
    where uid = game;
    return;
  end if;
  update storage_use
  set bytes = bytes + change
  where game_uid = game and kind = file_kind;
  -- Without a row there is nothing to take away.
  if found or change < 0 then
    return;
  end if;
  insert into storage_use (game_uid, kind, bytes)
  values (game, file_kind, change)
  on conflict (game_uid, kind) do update set bytes = storage_use.bytes + excluded.bytes;
end $$;

-- The same without an expression that is parsed for each row: a new report or crash has just been
-- checked to belong to a listing.
create function note_files_of_bug() returns trigger language plpgsql as $$
begin
  insert into player_storage_changes (game_uid, kind, bytes)
  values (new.game_uid, 'bug_reports',
    coalesce(new.screenshot_size, 0) + coalesce(new.log_size, 0));
  return null;
end $$;
create or replace trigger count_new after insert on bugs for each row
  when (new.screenshot_size > 0 or new.log_size > 0)
  execute function note_files_of_bug();

create function note_files_of_crash() returns trigger language plpgsql as $$
begin
  insert into player_storage_changes (game_uid, kind, bytes)
  values (new.game_uid, 'crashes', coalesce(new.dump_size, 0) + coalesce(new.log_size, 0));
  return null;
end $$;
create or replace trigger count_new after insert on crashes for each row
  when (new.dump_size > 0 or new.log_size > 0)
  execute function note_files_of_crash();

create function forget_storage_changes() returns trigger language plpgsql as $$
begin
  delete from player_storage_changes where game_uid = old.uid;
  return null;
end $$;
create trigger forget_storage_changes after delete on all_listings for each row
  execute function forget_storage_changes();

-- Adds the noted changes to what their listings store. Only one process does at a time. Listings
-- are locked against being deleted, in one order.
create function fold_player_storage() returns void language plpgsql as $$
declare
  games uuid[];
begin
  perform pg_advisory_xact_lock(75, 0);
  games = array(
    select uid
    from all_listings
    where uid in (select game_uid from player_storage_changes)
    order by uid
    for key share);
  with noted as (
    delete from player_storage_changes
    where game_uid = any(games)
    returning game_uid, kind, bytes
  )
  insert into storage_use (game_uid, kind, bytes)
  select game_uid, kind, sum(bytes)
  from noted
  group by game_uid, kind
  order by game_uid, kind
  on conflict (game_uid, kind) do update set bytes = storage_use.bytes + excluded.bytes;
end $$;

-- Changes that were noted before the count are in it. Both are read as of the same moment.
create or replace function recount_storage(game uuid) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(75, 0);
  perform pg_advisory_xact_lock(74, hashtext(game::text));
  insert into storage_use (game_uid, kind, bytes)
  select game, s.kind, 0
  from stored_bytes(game) s
  order by s.kind
  on conflict do nothing;
  perform from storage_use where game_uid = game order by kind for update;
  with counted as (
    delete from player_storage_changes where game_uid = game
  )
  update storage_use u
  set bytes = s.bytes
  from stored_bytes(game) s
  where u.game_uid = game and u.kind = s.kind;
end $$;
