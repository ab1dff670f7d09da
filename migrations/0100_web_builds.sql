-- What the check of a build for browsers found when its file was scanned.
alter table files
  -- Why it cannot be played in the store; null if it can, and for builds of other systems.
  -- One of no_index, too_many_files, too_large and file_too_large.
  add column if not exists web_problem text,
  -- The file that is too large, or how many files or bytes there are.
  add column if not exists web_detail text not null default '',
  -- References between its files that do not work in the store.
  add column if not exists web_warnings jsonb not null default '[]',
  -- The limits that it was compared with; null if it was not checked yet.
  add column if not exists web_limits text;

-- The files that are still to be checked, or to be compared with other limits.
create index if not exists files_web_builds on files (uid) include (web_limits)
  where os = 'web' and scan = 'clean';

-- The page of a listing says whether its build is isolated.
create or replace function touch_listing_of_build() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid)
  select b.game_uid from builds b where b.uid = coalesce(new.build_uid, old.build_uid);
  return null;
end $$;
create or replace trigger touch after insert or delete on play_unisolated_builds
  for each row execute function touch_listing_of_build();

-- As before, and whether a build for browsers cannot be played.
create or replace view clean_stable_files as
  select h.game_uid, f.uid, f.build_uid, f.os, f.arch, f.uploaded_at, f.web_problem
  from channel_heads h
  join files f
    on f.build_uid = h.build_uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.app = '' and h.channel = 'stable'
    and not exists (
      select
      from channels c
      where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable'
        and c.expires_at <= now());
