-- For whom a gift is: the uid of a person, or the hash of a mail address; null if it is no gift.
alter table orders add column gift_for text;
-- One open order per buyer, edition and receiver: two tabs lead to the same payment.
drop index orders_open;
create unique index orders_open on orders (buyer_uid, game_uid, edition_uid, gift_for)
  nulls not distinct
  where state = 'open' and buyer_uid is not null and game_uid is not null;

-- Whom a gift is for, and what they decided. Whether it is paid is the state of its order.
create table order_gifts (
  -- The link in the mail has it with a signature; the link itself is stored nowhere.
  uid uuid primary key,
  order_uid uuid not null unique references orders on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'accepted', 'declined')),
  given_by uuid references users on delete set null,
  -- An account, or a mail address that may get one.
  to_uid uuid references users on delete set null,
  to_email text,
  accepted_by uuid references users on delete set null,
  created_at timestamptz not null default now(),
  decided_at timestamptz
);
create index order_gifts_to on order_gifts (to_uid);
create index order_gifts_to_email on order_gifts (lower(to_email)) where to_email is not null;
create index order_gifts_given_by on order_gifts (given_by);
create index order_gifts_accepted_by on order_gifts (accepted_by);

-- A deleted account leaves no address in the orders of others.
create function forget_gift_address() returns trigger language plpgsql as $$
begin
  update order_gifts
  set to_email = null
  where lower(to_email) = lower(old.email);
  return old;
end $$;
create trigger forget_gift_address before delete on users
  for each row execute function forget_gift_address();

-- Who has the copy, if it is not the buyer, and since when: gifts are accepted after they are paid.
alter table order_copies add column user_uid uuid references users on delete cascade;
alter table order_copies add column granted_at timestamptz not null default now();
create index order_copies_of_user on order_copies (user_uid);
update order_copies c
set granted_at = o.paid_at
from orders o
where o.uid = c.order_uid and o.paid_at is not null;

-- A process of the previous version must not give the copy of a gift to its buyer: its job fails,
-- and one of this version does it.
create function check_gift_copy() returns trigger language plpgsql as $$
begin
  if exists (select from orders where uid = new.order_uid and gift_for is not null) then
    raise exception 'The copy of a gift belongs to whoever accepted it';
  end if;
  return new;
end $$;
create trigger check_gift_copy before insert on order_copies for each row
  when (new.user_uid is null)
  execute function check_gift_copy();

-- The lowest price of the last 30 days also counts an edition that was deleted and made again. Its
-- prices and sales stay, by the name of the edition, and become those of the new one.
create table removed_edition_prices (
  game_uid uuid not null references all_listings on delete cascade,
  edition_name text not null,
  currency text not null,
  price_minor int not null,
  at timestamptz not null
);
create index removed_edition_prices_game on removed_edition_prices (game_uid);
create table removed_edition_sales (
  game_uid uuid not null references all_listings on delete cascade,
  edition_name text not null,
  event_uid uuid references sale_events on delete set null,
  percent int,
  amount_cents int,
  starts_at timestamptz not null,
  ends_at timestamptz not null
);
create index removed_edition_sales_game on removed_edition_sales (game_uid);
create index removed_edition_sales_event on removed_edition_sales (event_uid);

create function keep_edition_prices() returns trigger language plpgsql as $$
begin
  -- Nothing is kept of a listing that is deleted with its editions.
  if not exists (select from all_listings where uid = old.game_uid) then
    return old;
  end if;
  insert into removed_edition_prices (game_uid, edition_name, currency, price_minor, at)
  select old.game_uid, lower(old.name), currency, price_minor, at
  from price_history
  where edition_uid = old.uid;
  insert into removed_edition_sales
    (game_uid, edition_name, event_uid, percent, amount_cents, starts_at, ends_at)
  select old.game_uid, lower(old.name), event_uid, percent, amount_cents, starts_at,
    least(ends_at, now())
  from sales
  where edition_uid = old.uid and starts_at < now();
  return old;
end $$;
create trigger keep_prices before delete on editions for each row
  execute function keep_edition_prices();

create function restore_edition_prices() returns trigger language plpgsql as $$
begin
  insert into price_history (game_uid, edition_uid, currency, price_minor, at)
  select new.game_uid, new.uid, currency, price_minor, at
  from removed_edition_prices
  where game_uid = new.game_uid and edition_name = lower(new.name);
  delete from removed_edition_prices
  where game_uid = new.game_uid and edition_name = lower(new.name);
  insert into sales
    (uid, game_uid, edition_uid, event_uid, percent, amount_cents, starts_at, ends_at)
  select gen_random_uuid(), new.game_uid, new.uid, event_uid, percent, amount_cents, starts_at,
    ends_at
  from removed_edition_sales
  where game_uid = new.game_uid and edition_name = lower(new.name);
  delete from removed_edition_sales
  where game_uid = new.game_uid and edition_name = lower(new.name);
  return null;
end $$;
create trigger restore_prices after insert on editions for each row
  execute function restore_edition_prices();
