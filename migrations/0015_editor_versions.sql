-- As before, and of a build with zips for several systems each one: an editor gets the one of its own.
create or replace view package_versions as
  select distinct on (h.game_uid, b.uid, h.os, h.arch) h.game_uid, b.uid, b.version, b.created_at, b.engine_version, b.description, b.changelog_items, h.os,
    f.uid as file_uid, f.filename, f.size, f.checksum, f.uploaded_at, f.has_project_file
  from channel_heads h
    cross join lateral unnest(h.previous || h.build_uid) as released (uid)
    join builds b on b.uid = released.uid
    join files f on f.build_uid = b.uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.app = '' and h.channel = 'stable'
    and not exists (select from channels c where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable' and c.expires_at <= now())
  order by h.game_uid, b.uid, h.os, h.arch, f.uploaded_at desc, f.uid desc;
