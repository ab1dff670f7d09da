-- Prices in other currencies, sales, prices that buyers choose, and the history of prices.

-- The price of a listing (edition_uid is null) or of an edition in a currency other than US
-- dollars, in the smallest unit of that currency. The price in dollars stays where it was.
create table listing_prices (
  game_uid uuid not null references all_listings on delete cascade,
  edition_uid uuid references editions on delete cascade,
  currency text not null check (currency ~ '^[A-Z]{3}$' and currency <> 'USD'),
  amount_minor int not null check (amount_minor > 0),
  unique nulls not distinct (game_uid, edition_uid, currency)
);
create index listing_prices_edition on listing_prices (edition_uid);

-- Offers whose buyers choose what they pay; the price is the minimum.
create table chosen_prices (
  game_uid uuid not null references all_listings on delete cascade,
  edition_uid uuid references editions on delete cascade,
  suggested_cents int check (suggested_cents > 0),
  unique nulls not distinct (game_uid, edition_uid)
);
create index chosen_prices_edition on chosen_prices (edition_uid);

-- A sale of the whole store, which operators make and listings join.
create table sale_events (
  uid uuid primary key,
  name text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (ends_at > starts_at)
);
create index sale_events_end on sale_events (ends_at);

-- A lower price for a time. Sales that have started are never deleted nor changed, except that they
-- end earlier, because the lowest price of the last 30 days is computed from them.
create table sales (
  uid uuid primary key,
  game_uid uuid not null references all_listings on delete cascade,
  -- Null: every edition.
  edition_uid uuid references editions on delete cascade,
  event_uid uuid references sale_events on delete set null,
  percent int check (percent between 1 and 95),
  amount_cents int check (amount_cents > 0),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  created_at timestamptz not null default now(),
  check (num_nonnulls(percent, amount_cents) = 1),
  check (ends_at >= starts_at)
);
create index sales_game on sales (game_uid, ends_at);
create index sales_event on sales (event_uid);
create index sales_edition on sales (edition_uid);

-- What an offer cost from a moment on, without sales.
create table price_history (
  game_uid uuid not null references all_listings on delete cascade,
  edition_uid uuid references editions on delete cascade,
  currency text not null,
  price_minor int not null,
  at timestamptz not null default clock_timestamp()
);
create index price_history_game on price_history (game_uid, at);
create index price_history_edition on price_history (edition_uid);

create function record_listing_price() returns trigger language plpgsql as $$
begin
  insert into price_history (game_uid, currency, price_minor)
  values (new.uid, 'USD', new.price_cents);
  return null;
end $$;
create trigger record_first_price after insert on all_listings for each row
  execute function record_listing_price();
create trigger record_price after update on all_listings for each row
  when (old.price_cents is distinct from new.price_cents)
  execute function record_listing_price();

create function record_edition_price() returns trigger language plpgsql as $$
begin
  insert into price_history (game_uid, edition_uid, currency, price_minor)
  values (new.game_uid, new.uid, 'USD', new.price_cents);
  return null;
end $$;
create trigger record_first_price after insert on editions for each row
  execute function record_edition_price();
create trigger record_price after update on editions for each row
  when (old.price_cents is distinct from new.price_cents)
  execute function record_edition_price();

create function record_currency_price() returns trigger language plpgsql as $$
begin
  insert into price_history (game_uid, edition_uid, currency, price_minor)
  values (new.game_uid, new.edition_uid, new.currency, new.amount_minor);
  return null;
end $$;
create trigger record_price after insert or update on listing_prices for each row
  execute function record_currency_price();

insert into price_history (game_uid, currency, price_minor, at)
select uid, 'USD', price_cents, created_at from all_listings;
insert into price_history (game_uid, edition_uid, currency, price_minor, at)
select game_uid, uid, 'USD', price_cents, created_at from editions;

create trigger touch after insert or update or delete on listing_prices
  for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on chosen_prices
  for each row execute function touch_own_listing();
create trigger touch after insert or update or delete on sales
  for each row execute function touch_own_listing();

-- A sale that starts or ends changes a page without an edit, as a channel that expires does.
create or replace function page_freshness(uid uuid, version bigint) returns text
language sql stable as $$
  select version || '.' || coalesce(sum(c.seq), 0) || '.' || coalesce(max(c.seq), 0) || '.' || (
      select count(*)
      from channels e
      where e.game_uid = page_freshness.uid and e.expires_at <= now()
    ) || '.' || (
      select count(*) filter (where s.starts_at <= now()) + count(*) filter (where s.ends_at <= now())
      from sales s
      where s.game_uid = page_freshness.uid
    )
  from listing_changes c
  where c.game_uid = page_freshness.uid
$$;
