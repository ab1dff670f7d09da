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
