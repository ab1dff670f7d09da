-- Builds that their publisher withdrew: nobody downloads or installs them, and who has one is told
-- why and what to get instead. The files have a state of their own, so that every query for clean
-- files leaves them out, also in processes of the previous version. Such a process may still point
-- a channel at a withdrawn build when one of its files passes its scan; players then see no file.
alter table builds
  add column withdrawn_at timestamptz,
  add column withdrawn_by uuid references users on delete set null,
  add column withdrawal_reason text,
  add column replacement_uid uuid references builds on delete set null;

create index builds_withdrawn on builds (game_uid, withdrawn_at desc)
  where withdrawn_at is not null;
create index builds_withdrawn_by on builds (withdrawn_by) where withdrawn_by is not null;
create index builds_replacement on builds (replacement_uid) where replacement_uid is not null;

-- The new constraints accept more than the old ones, so no row has to be checked.
alter table files
  drop constraint files_scan_check,
  add constraint files_scan_check
    check (scan in ('scanning', 'clean', 'infected', 'error', 'quarantined', 'withdrawn'))
    not valid;

-- A file that passes its scan, or leaves quarantine, is withdrawn if its build is.
create function withdraw_file() returns trigger language plpgsql as $$
begin
  perform from builds where uid = new.build_uid and withdrawn_at is not null;
  if found and new.scan = 'clean' then
    new.scan = 'withdrawn';
  elsif not found and new.scan = 'withdrawn' then
    new.scan = 'clean';
  end if;
  return new;
end $$;

create trigger withdraw before insert or update of scan on files for each row
  when (new.scan in ('clean', 'withdrawn'))
  execute function withdraw_file();

alter table channel_history
  drop constraint channel_history_event_check,
  add constraint channel_history_event_check
    check (event in ('upload', 'promote', 'rollback', 'delete', 'withdraw', 'restore'))
    not valid,
  -- After a withdrawal and after its end: the builds that the channel had, oldest first, also the
  -- withdrawn ones. The channel returns to them when they are restored.
  add column stack uuid[];

create index channel_history_build on channel_history (build_uid) where build_uid is not null;

create or replace view newest_stable_builds as
select distinct on (h.game_uid) h.game_uid, h.build_uid
from channel_heads h
join builds b on b.uid = h.build_uid
where h.app = '' and h.channel = 'stable' and b.quarantined_at is null and b.withdrawn_at is null
  and not exists (
    select
    from channels c
    where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable'
      and c.expires_at <= now())
order by h.game_uid, b.created_at desc, b.uid desc;

-- What a person last downloaded of a listing.
create index if not exists download_attempts_person
  on download_attempts (user_uid, game_uid, at desc)
  where user_uid is not null and outcome = 'ok';
