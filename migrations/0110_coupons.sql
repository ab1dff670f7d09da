-- Codes that take something off the price of listings, made by developers.
create table coupons (
  uid uuid primary key,
  -- The project in which it is managed; it is one of the listings that it is for.
  game_uid uuid not null references all_listings on delete cascade,
  game_uids uuid[] not null,
  -- Upper case.
  code text not null,
  percent int check (percent between 1 and 100),
  amount_cents int check (amount_cents > 0),
  -- Null: any number.
  max_uses int check (max_uses > 0),
  max_per_person int not null check (max_per_person > 0),
  starts_at timestamptz not null,
  -- Null: no end.
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  check (num_nonnulls(percent, amount_cents) = 1),
  unique (game_uid, code)
);
create index coupons_listings on coupons using gin (game_uids);

-- One row per order that a coupon was used for. Orders that were never paid are removed again.
create table coupon_uses (
  order_uid uuid primary key,
  coupon_uid uuid not null references coupons on delete cascade,
  user_uid uuid not null references users on delete cascade,
  used_at timestamptz not null default now()
);
create index coupon_uses_coupon on coupon_uses (coupon_uid, user_uid);
create index coupon_uses_user on coupon_uses (user_uid);
