-- What a project page says beyond its name (interface 2.2 to 2.8).
alter table listings
  add column price_cents int not null default 0,
  add column license_kind text,
  add column anonymous_downloads boolean not null default false,
  -- A parent on the service, or one elsewhere by name and link; never both.
  add column parent_uid uuid references listings on delete set null,
  add column parent_external_name text,
  add column parent_external_url text,
  add column genres text[] not null default '{}',
  add column tags text[] not null default '{}',
  add column tone text[] not null default '{}',
  add column inputs text[] not null default '{}',
  add column content_warnings text[] not null default '{}',
  add column engines text[] not null default '{}',
  add column ai_uses text[] not null default '{}',
  add column session_bucket text,
  add column net text,
  add column players_min int,
  add column players_max int,
  add column authorship text,
  add column authorship_credit text,
  add column mod_install_path text not null default '',
  add column mod_loader text not null default '',
  add column mod_instructions text not null default '',
  -- First time public, for "new"; and since when it is public now, for the grace rule.
  add column published_at timestamptz,
  add column public_since timestamptz,
  add check (parent_uid is null or (parent_external_name is null and parent_external_url is null));
create index listings_parent on listings (parent_uid) where parent_uid is not null;

create table listing_similar (
  game_uid uuid not null references listings on delete cascade,
  position int not null,
  similar_uid uuid not null references listings on delete cascade,
  primary key (game_uid, similar_uid)
);
create index listing_similar_target on listing_similar (similar_uid);

create table listing_dependencies (
  game_uid uuid not null references listings on delete cascade,
  position int not null,
  target_uid uuid not null references listings on delete cascade,
  kind text not null,
  primary key (game_uid, target_uid, kind)
);
create index listing_dependencies_target on listing_dependencies (target_uid);

create table listing_engine_ranges (
  game_uid uuid not null references listings on delete cascade,
  position int not null,
  engine text not null,
  min_version text,
  max_version text,
  renderer text,
  platform text,
  primary key (game_uid, position)
);

create table listing_store_links (
  game_uid uuid not null references listings on delete cascade,
  platform text not null,
  url text not null,
  primary key (game_uid, platform)
);

create table listing_images (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  slot text not null check (slot in ('cover', 'thumbnail', 'gallery')),
  -- Order in the gallery, from 0 without gaps; 0 for the others.
  position int not null default 0,
  -- The bytes are stored once by content.
  sha256 text not null,
  type text not null,
  width int not null,
  height int not null,
  size int not null,
  created_at timestamptz not null default now()
);
create index listing_images_game on listing_images (game_uid, slot, position);
create unique index listing_images_single on listing_images (game_uid, slot) where slot <> 'gallery';
create index listing_images_content on listing_images (sha256);

create table editions (
  uid uuid primary key,
  game_uid uuid not null references listings on delete cascade,
  slug text not null,
  name text not null,
  description text not null default '',
  kind text not null,
  price_cents int not null,
  active boolean not null default true,
  sort_order int not null default 0,
  bundle_uids uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  unique (game_uid, slug)
);

create table press_kits (
  game_uid uuid primary key references listings on delete cascade,
  kit jsonb not null,
  updated_at timestamptz not null default now()
);

-- A page is kept in memory while nothing it shows has changed. What belongs to the listing itself moves its version; everything else leaves a
-- row here, in the same transaction. Rows are only ever added, so that a change never waits for the listings it shows on, nor they for it.
create table listing_changes (
  seq bigint generated always as identity primary key,
  game_uid uuid not null,
  at timestamptz not null default now()
);
create index listing_changes_game on listing_changes (game_uid, seq);

-- Changes are summed, not the newest taken: one that commits late must show as well.
create function page_freshness(uid uuid, version bigint) returns text language sql stable as
  $$ select version || '.' || coalesce(sum(c.seq), 0) from listing_changes c where c.game_uid = page_freshness.uid $$;

create function move_listing_version() returns trigger language plpgsql as $$
begin
  new.version = greatest(new.version, old.version + 1);
  return new;
end $$;
create trigger move_version before update on listings for each row execute function move_listing_version();

create function touch_own_listing() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid) values (coalesce(new.game_uid, old.game_uid));
  return null;
end $$;

create trigger touch after insert or update or delete on listing_similar for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on listing_engine_ranges for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on listing_store_links for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on listing_images for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on editions for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on press_kits for each row execute function touch_own_listing();

-- Shown from both ends: uses on one page, used_by on the other.
create function touch_both_ends() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid) values (coalesce(new.game_uid, old.game_uid)), (coalesce(new.target_uid, old.target_uid));
  return null;
end $$;
create trigger touch after insert or update or delete on listing_dependencies for each row execute function touch_both_ends();

-- A listing's name, visibility and parent also show on the pages it is linked with.
create function touch_linked_listings() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid) select linked.uid from (
    select old.parent_uid as uid union select new.parent_uid
    union select target_uid from listing_dependencies where game_uid = old.uid
    union select game_uid from listing_dependencies where target_uid = old.uid
    union select game_uid from listing_similar where similar_uid = old.uid
    union select uid from listings where parent_uid = old.uid) linked where linked.uid is not null and linked.uid <> old.uid;
  return coalesce(new, old);
end $$;
create trigger touch_linked after update on listings for each row
  when (old.visibility is distinct from new.visibility or old.parent_uid is distinct from new.parent_uid or old.name is distinct from new.name
    or old.vanity_name is distinct from new.vanity_name or old.asset_type is distinct from new.asset_type or old.adult is distinct from new.adult)
  execute function touch_linked_listings();
create trigger touch_linked_on_delete before delete on listings for each row execute function touch_linked_listings();
