-- Videos of a listing: a file of our own, which is public once it is scanned, or the address of a
-- video on a known host.
create table listing_trailers (
  uid uuid primary key,
  game_uid uuid not null references all_listings on delete cascade,
  -- From 0 without gaps.
  position int not null default 0,
  title text not null default '',
  outside_url text,
  -- The stored object. A replaced video has another one.
  object_uid uuid unique,
  type text,
  size bigint,
  sha256 text,
  width int,
  height int,
  -- Null if the file does not say.
  duration_seconds int,
  scan text not null check (scan in ('scanning', 'clean', 'infected', 'error')),
  scan_detail text,
  uploaded_at timestamptz not null default now(),
  -- The image before the video plays. The bytes are stored once by content, as other images are.
  poster_sha256 text,
  poster_type text,
  poster_width int,
  poster_height int,
  poster_size int,
  check ((outside_url is null) = (object_uid is not null))
);
create index listing_trailers_game on listing_trailers (game_uid, position);
create index listing_trailers_poster on listing_trailers (poster_sha256)
  where poster_sha256 is not null;

-- WebVTT, one text per language.
create table trailer_captions (
  trailer_uid uuid not null references listing_trailers on delete cascade,
  game_uid uuid not null,
  language text not null,
  content text not null,
  updated_at timestamptz not null default now(),
  primary key (trailer_uid, language)
);

create trigger touch after insert or update or delete on listing_trailers for each row
  execute function touch_own_listing();
create trigger touch after insert or update or delete on trailer_captions for each row
  execute function touch_own_listing();

-- Every image that a listing refers to.
create view shown_images as
select game_uid, sha256, type, width, height, size
from listing_images
union all
select game_uid, poster_sha256, poster_type, poster_width, poster_height, poster_size
from listing_trailers
where poster_sha256 is not null;
