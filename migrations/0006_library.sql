-- A person and a listing: the copy they hold, how long they played, what they say about it.
create table licences (
  user_uid uuid not null references users on delete cascade,
  game_uid uuid not null references listings on delete cascade,
  source text not null check (source in ('purchase', 'free', 'grant')),
  created_at timestamptz not null default now(),
  primary key (user_uid, game_uid)
);
create index licences_newest on licences (user_uid, created_at desc, game_uid);
create index licences_game on licences (game_uid);

create table play_time (
  user_uid uuid not null references users on delete cascade,
  game_uid uuid not null references listings on delete cascade,
  seconds int not null,
  last_beat_at timestamptz not null,
  primary key (user_uid, game_uid)
);
create index play_time_game on play_time (game_uid);

-- What a player says goes with the copy that gives them the right to say it.
create table tag_suggestions (
  game_uid uuid not null,
  user_uid uuid not null,
  tag text not null,
  created_at timestamptz not null default now(),
  primary key (game_uid, user_uid, tag),
  foreign key (user_uid, game_uid) references licences on delete cascade
);

-- The suggestions counted, so that a page need not count them; a hidden tag keeps its votes, and its row when the last vote goes.
create table community_tags (
  game_uid uuid not null references listings on delete cascade,
  tag text not null,
  votes int not null default 0 check (votes >= 0),
  hidden boolean not null default false,
  primary key (game_uid, tag)
);
create index community_tags_shown on community_tags (game_uid, votes desc) where votes >= 3 and not hidden;

create function count_tag_votes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into community_tags as c (game_uid, tag, votes) values (new.game_uid, new.tag, 1)
      on conflict (game_uid, tag) do update set votes = c.votes + 1;
  else
    update community_tags set votes = votes - 1 where game_uid = old.game_uid and tag = old.tag;
    delete from community_tags where game_uid = old.game_uid and tag = old.tag and votes = 0 and not hidden;
  end if;
  return null;
end $$;
create trigger count_votes after insert or delete on tag_suggestions for each row execute function count_tag_votes();

-- What a page shows (interface 2.5): three votes, ten tags, most suggested first, none the developer set or hid.
create view shown_community_tags as
  select game_uid, tag, votes, position from (
    select c.game_uid, c.tag, c.votes,
      row_number() over (partition by c.game_uid order by c.votes desc, c.tag collate "C")::int as position
    from community_tags c join listings l on l.uid = c.game_uid
    where c.votes >= 3 and not c.hidden and c.tag <> all (l.tags)
  ) ranked where position <= 10;

create table reviews (
  uid uuid primary key,
  game_uid uuid not null,
  user_uid uuid not null,
  -- Such a review does not count while the game has a price.
  free_copy boolean not null,
  enjoyed boolean not null,
  quality int not null check (quality between 1 and 5),
  would_play_with_friends boolean,
  text text not null default '',
  reply_text text,
  replied_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (game_uid, user_uid),
  foreign key (user_uid, game_uid) references licences on delete cascade
);
create index reviews_newest on reviews (game_uid, created_at desc, uid desc);
-- All that a summary asks for, so that it need not read the texts.
create index reviews_summary on reviews (game_uid, free_copy, enjoyed, quality, would_play_with_friends);

create function follow_licence() returns trigger language plpgsql as $$
begin
  update reviews set free_copy = new.source = 'free' where user_uid = new.user_uid and game_uid = new.game_uid;
  return null;
end $$;
create trigger follow after update of source on licences for each row execute function follow_licence();

-- Players change what a page shows, too.
create trigger touch after update on community_tags for each row when (greatest(old.votes, new.votes) >= 3) execute function touch_own_listing();
create trigger touch after insert or update or delete on reviews for each row execute function touch_own_listing();
