-- The avatar of an account and the banner of its page. Their bytes are stored by content, together
-- with the images of listings. The previous version neither reads nor writes this table; its sweep
-- of images may remove content that only this table refers to, a day after it found it.
create table profile_images (
  uid uuid primary key,
  user_uid uuid not null references users on delete cascade,
  slot text not null check (slot in ('avatar', 'banner')),
  sha256 text not null,
  type text not null,
  width int not null,
  height int not null,
  size int not null,
  created_at timestamptz not null default now(),
  unique (user_uid, slot)
);
create index profile_images_content on profile_images (sha256);

-- Avatars show with the listings of their person and beside their reviews.
create function touch_listings_of_avatar() returns trigger language plpgsql as $$
declare
  person uuid = coalesce(new.user_uid, old.user_uid);
begin
  insert into listing_changes (game_uid)
  select uid
  from all_listings
  where owner_uid = person
  union
  select r.game_uid
  from reviews r
  join profiles p on p.user_uid = r.user_uid and p.is_public
  where r.user_uid = person;
  return null;
end $$;

create trigger touch_new after insert on profile_images for each row
  when (new.slot = 'avatar')
  execute function touch_listings_of_avatar();

create trigger touch after update on profile_images for each row
  when (new.slot = 'avatar' and old.sha256 is distinct from new.sha256)
  execute function touch_listings_of_avatar();

create trigger touch_removed after delete on profile_images for each row
  when (old.slot = 'avatar')
  execute function touch_listings_of_avatar();
