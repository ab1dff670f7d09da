-- Who gave a copy to its holder. Copies from before have no row.
create table copy_gifts (
  user_uid uuid not null,
  game_uid uuid not null,
  given_by uuid not null references users on delete cascade,
  given_at timestamptz not null default now(),
  primary key (user_uid, game_uid),
  foreign key (user_uid, game_uid) references licences on delete cascade
);
create index copy_gifts_given_by on copy_gifts (given_by);

-- How many copies a person gave on their last day with a gift (UTC). Copies that their holders
-- removed count, too.
create table gift_counts (
  user_uid uuid primary key references users on delete cascade,
  day date not null,
  gifts int not null
);
