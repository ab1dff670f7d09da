-- What editors make of a zip (src/listings/editor.ts), known once it was scanned.
alter table files
  add column has_project_file boolean,
  add column has_wrapper boolean,
  add column has_folders boolean;

-- Zips scanned before this: their folders were not written down, so nothing is said of those.
update files f set has_project_file = e.has_project_file, has_wrapper = e.has_wrapper from (
  select file_uid, bool_or(path ~ '^([^/]+/)?project\.godot$') as has_project_file,
    count(distinct split_part(path, '/', 1)) = 1 and bool_and(position('/' in path) > 0) and min(split_part(path, '/', 1)) <> 'addons' as has_wrapper
  from file_entries group by file_uid) e
where e.file_uid = f.uid and f.scan = 'clean';

-- Editors know an author, like a package, by a positive whole number.
alter table users add column author_id bigint generated always as identity unique;

-- What editors may install of a listing: the zips of the builds that the stable channel of the main app points at or pointed at before. What was
-- rolled back is not among them.
create view package_versions as
  select distinct on (h.game_uid, b.uid) h.game_uid, b.uid, b.version, b.created_at, b.engine_version, b.description, b.changelog_items, h.os,
    f.uid as file_uid, f.filename, f.size, f.checksum, f.uploaded_at, f.has_project_file
  from channel_heads h
    cross join lateral unnest(h.previous || h.build_uid) as released (uid)
    join builds b on b.uid = released.uid
    join files f on f.build_uid = b.uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.app = '' and h.channel = 'stable'
    and not exists (select from channels c where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable' and c.expires_at <= now())
  order by h.game_uid, b.uid, f.uploaded_at desc, f.uid desc;
