-- What people say about themselves. A profile that is public has a page even without a listing, and
-- the reviews of the person link to it.
create table profiles (
  user_uid uuid primary key references users on delete cascade,
  bio text not null default '',
  links text[] not null default '{}',
  is_public boolean not null default false,
  updated_at timestamptz not null default now()
);

-- Pages with reviews of the person show or hide the link to the profile.
create index reviews_user on reviews (user_uid);

create function touch_reviewed_listings() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid)
  select game_uid
  from reviews
  where user_uid = new.user_uid;
  return null;
end $$;

create trigger touch_new after insert on profiles for each row
  when (new.is_public)
  execute function touch_reviewed_listings();

create trigger touch after update on profiles for each row
  when (old.is_public is distinct from new.is_public)
  execute function touch_reviewed_listings();
