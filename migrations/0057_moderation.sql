-- What moderators decided about content and people. Nothing is destroyed: each state is a column,
-- a row that is set aside, or a value that remembers the one before. The previous version treats
-- everything that is taken down, removed or quarantined as missing too, because the views and the
-- states of files say so; it does not know suspensions.

-- Hidden listings are not public, but open by link; those taken down are not in the view at all.
alter table all_listings
  add column taken_down_at timestamptz,
  add column hidden_at timestamptz,
  -- Whether the page is public again once it is no longer hidden.
  add column public_before_hidden boolean not null default false;

create or replace view listings as
select *
from all_listings
where deleted_at is null and taken_down_at is null;

drop trigger touch_linked_on_removal on all_listings;
create trigger touch_linked_on_removal after update on all_listings for each row
  when (old.deleted_at is distinct from new.deleted_at
    or old.taken_down_at is distinct from new.taken_down_at)
  execute function touch_linked_listings();

-- Whatever sets the visibility of a hidden listing, it is not public.
create function keep_hidden() returns trigger language plpgsql as $$
begin
  if new.visibility = 'public' then
    new.visibility = 'invisible';
    new.public_since = null;
    new.public_before_hidden = true;
  elsif new.visibility <> 'invisible' then
    new.public_before_hidden = false;
  end if;
  return new;
end $$;

create trigger keep_hidden before insert or update on all_listings for each row
  when (new.hidden_at is not null)
  execute function keep_hidden();

-- A quarantined file is served to nobody. It keeps the state before, and its bytes.
alter table files
  drop constraint files_scan_check,
  add constraint files_scan_check
    check (scan in ('scanning', 'clean', 'infected', 'error', 'quarantined')),
  add column scan_before_quarantine text,
  add constraint files_quarantine_check
    check ((scan = 'quarantined') = (scan_before_quarantine is not null));

alter table builds add column quarantined_at timestamptz;

-- Files that are uploaded to a quarantined build are quarantined with it.
create function quarantine_new_file() returns trigger language plpgsql as $$
begin
  perform from builds where uid = new.build_uid and quarantined_at is not null;
  if found and new.scan <> 'quarantined' then
    new.scan_before_quarantine = new.scan;
    new.scan = 'quarantined';
  end if;
  return new;
end $$;

create trigger quarantine_new before insert on files for each row
  execute function quarantine_new_file();

create or replace view newest_stable_builds as
select distinct on (h.game_uid) h.game_uid, h.build_uid
from channel_heads h
join builds b on b.uid = h.build_uid
where h.app = '' and h.channel = 'stable' and b.quarantined_at is null
  and not exists (
    select
    from channels c
    where c.game_uid = h.game_uid and c.app = '' and c.channel = 'stable'
      and c.expires_at <= now())
order by h.game_uid, b.created_at desc, b.uid desc;

-- A removed review stays in all_reviews; the view reviews, which queries read, has the others.
alter table reviews rename to all_reviews;
alter table all_reviews add column removed_at timestamptz;

create view reviews as
select *
from all_reviews
where removed_at is null;

create or replace function follow_licence() returns trigger language plpgsql as $$
begin
  update all_reviews
  set free_copy = new.source = 'free'
  where user_uid = new.user_uid and game_uid = new.game_uid;
  return null;
end $$;

-- A community tag that moderators removed keeps its row and votes, and is not shown.
alter table community_tags add column removed_at timestamptz;

create or replace function count_tag_votes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into community_tags as c (game_uid, tag, votes)
    values (new.game_uid, new.tag, 1)
    on conflict (game_uid, tag) do update set votes = c.votes + 1;
  else
    update community_tags
    set votes = votes - 1
    where game_uid = old.game_uid and tag = old.tag;
    delete from community_tags
    where game_uid = old.game_uid and tag = old.tag and votes = 0 and not hidden
      and removed_at is null;
  end if;
  return null;
end $$;

create or replace view shown_community_tags as
select game_uid, tag, votes, position
from (
  select c.game_uid, c.tag, c.votes,
    row_number() over (
      partition by c.game_uid order by c.votes desc, c.tag collate "C")::int as position
  from community_tags c
  join listings l on l.uid = c.game_uid
  where c.votes >= 3 and not c.hidden and c.removed_at is null and c.tag <> all (l.tags)
) ranked
where position <= 10;

-- Images that moderators removed. The row of listing_images or profile_images is set aside, and
-- its content stays in the store.
create table removed_images (
  uid uuid primary key,
  game_uid uuid references all_listings on delete cascade,
  user_uid uuid references users on delete cascade,
  sha256 text not null,
  -- The row as it was.
  image jsonb not null,
  removed_at timestamptz not null default now(),
  check ((game_uid is null) <> (user_uid is null))
);
create index removed_images_content on removed_images (sha256);

-- A person who may not publish, or who may do nothing; null in suspended_until is for good.
alter table users
  add column suspension text check (suspension in ('publishing', 'everything')),
  add column suspended_until timestamptz,
  add column suspension_statement text;

create table moderators (
  user_uid uuid primary key references users on delete cascade,
  made_by uuid references users on delete set null,
  made_at timestamptz not null default now()
);

-- The log of decisions. It refers to no other table, because it outlives what it is about.
create table moderation_actions (
  uid uuid primary key,
  target_type text not null,
  target_id text not null,
  -- What the target was called when it was decided on.
  target_name text not null,
  game_uid uuid,
  -- Whom the decision concerns; null for a tag that many players suggested.
  subject_uid uuid,
  action text not null,
  ground text not null,
  facts text not null,
  statement text not null,
  details jsonb not null default '{}',
  moderator_uid uuid not null,
  created_at timestamptz not null default now()
);
create index moderation_actions_target on moderation_actions (target_type, target_id, created_at);
create index moderation_actions_subject on moderation_actions (subject_uid, created_at)
  where subject_uid is not null;
create index moderation_actions_newest on moderation_actions (created_at, uid);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name;
end $$;

create trigger append_only before update or delete or truncate on moderation_actions
  for each statement execute function refuse_change();

-- The statement of reasons that the person concerned gets.
create table moderation_statements (
  uid uuid primary key,
  action_uid uuid not null unique references moderation_actions,
  user_uid uuid not null references users on delete cascade,
  created_at timestamptz not null default now()
);
create index moderation_statements_user on moderation_statements (user_uid, created_at desc);

-- Every process drops what it has cached for visitors when it hears of a decision.
create function announce_moderation() returns trigger language plpgsql as $$
begin
  notify moderation;
  return null;
end $$;

create trigger announce after insert on moderation_actions for each statement
  execute function announce_moderation();
