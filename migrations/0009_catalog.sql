-- What players can download of the main app: clean files that its stable channel points at, while that channel is shown.
create view clean_stable_files as
  select h.game_uid, f.uid, f.build_uid, f.os, f.arch, f.uploaded_at
  from channel_heads h join files f on f.build_uid = h.build_uid and f.os = h.os and f.arch = h.arch and f.scan = 'clean'
  where h.app = '' and h.channel = 'stable'
    and not exists (select from channels c where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable' and c.expires_at <= now());

-- Listings fall into 65,536 boxes by the random end of their uid. Each day visits the boxes in another order, so that the first few of a day are
-- found by looking into a few boxes and not at every listing.
create function shelf_box(uid uuid) returns int language sql immutable parallel safe
  return get_byte(uuid_send(uid), 14) * 256 + get_byte(uuid_send(uid), 15);
create index listings_shelf_box on listings (shelf_box(uid), asset_type) where visibility = 'public' and not adult;

-- The newest and the last edited, for shelves and feeds.
create index listings_newest_public on listings (published_at desc, uid desc) where visibility = 'public' and not adult;
create index listings_updated_public on listings (updated_at desc, uid desc) where visibility = 'public' and not adult;

-- What machines are told of, in an order that no edit changes; and the same by developer.
create index listings_indexable on listings (asset_id) where visibility = 'public' and indexable and not adult;
create index listings_indexable_of on listings (owner_uid, asset_id) include (updated_at) where visibility = 'public' and indexable and not adult;

create index files_newest_clean on files (uploaded_at desc) where scan = 'clean';
create index files_newest_clean_os on files (os, uploaded_at desc) where scan = 'clean';
create index build_health_good on build_health (game_uid, build_uid) where band in ('excellent', 'healthy');
create index reviews_recent on reviews (created_at, game_uid);
