-- The account of a developer at the payment provider, and what their receipts name.
create table payment_accounts (
  user_uid uuid primary key references users on delete cascade,
  account_ref text unique,
  charges_enabled boolean not null default false,
  -- What the provider still needs, in its own words.
  requirements text[] not null default '{}',
  checked_at timestamptz,
  legal_name text not null default '',
  address text not null default '',
  tax_id text not null default '',
  -- Hundredths of a percent that are included in prices.
  tax_basis_points int not null default 0 check (tax_basis_points between 0 and 10000),
  created_at timestamptz not null default now()
);

-- A purchase. It stays when the buyer, the seller or the listing is deleted, without their names.
create table orders (
  uid uuid primary key,
  buyer_uid uuid references users on delete set null,
  seller_uid uuid references users on delete set null,
  game_uid uuid references all_listings on delete set null,
  edition_uid uuid references editions on delete set null,
  state text not null default 'open'
    check (state in ('open', 'paid', 'refunded', 'disputed', 'expired')),
  provider text not null check (provider in ('stripe', 'manual')),
  account_ref text not null default '',
  checkout_ref text unique,
  checkout_url text,
  payment_ref text unique,
  -- What was bought and from whom, as the receipt shows it.
  title text not null,
  edition_name text not null default '',
  seller jsonb not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  list_minor int not null check (list_minor >= 0),
  amount_minor int not null check (amount_minor between 0 and list_minor),
  tax_minor int not null check (tax_minor between 0 and amount_minor),
  fee_minor int not null check (fee_minor between 0 and amount_minor),
  refunded_minor int not null default 0 check (refunded_minor between 0 and amount_minor),
  sale_uid uuid,
  coupon_uid uuid,
  -- Why an operator must look at it; empty if all is well.
  problem text not null default '',
  idempotency_uid uuid unique,
  fingerprint text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  paid_at timestamptz,
  ended_at timestamptz,
  checked_at timestamptz
);
-- One open order per buyer and edition: two tabs lead to the same payment.
create unique index orders_open on orders (buyer_uid, game_uid, edition_uid) nulls not distinct
  where state = 'open' and buyer_uid is not null and game_uid is not null;
create index orders_of_buyer on orders (buyer_uid, created_at desc);
create index orders_of_seller on orders (seller_uid, created_at desc);
create index orders_of_game on orders (game_uid);
create index orders_of_edition on orders (edition_uid);
create index orders_to_check on orders (checked_at nulls first) where state = 'open';
create index orders_paid on orders (paid_at) where paid_at is not null;

-- The copies that an order gave, and what was there before, so that a refund can restore it.
create table order_copies (
  order_uid uuid not null references orders on delete cascade,
  game_uid uuid not null references all_listings on delete cascade,
  previous jsonb,
  primary key (order_uid, game_uid)
);
create index order_copies_of_game on order_copies (game_uid);

-- What the operators confirmed for payments that arrive outside of a provider.
create table manual_payments (
  order_uid uuid primary key references orders on delete cascade,
  reference text not null,
  settled_by uuid references users on delete set null,
  settled_at timestamptz not null default now()
);
create index manual_payments_by on manual_payments (settled_by);

create table order_refunds (
  uid uuid primary key,
  order_uid uuid not null references orders on delete cascade,
  state text not null check (state in ('requested', 'sending', 'done', 'declined', 'failed')),
  amount_minor int not null check (amount_minor > 0),
  reason text not null default '',
  answer text not null default '',
  requested_by uuid references users on delete set null,
  decided_by uuid references users on delete set null,
  provider_ref text unique,
  created_at timestamptz not null default now(),
  decided_at timestamptz
);
create index order_refunds_of_order on order_refunds (order_uid, created_at);
create index order_refunds_requested_by on order_refunds (requested_by);
create index order_refunds_decided_by on order_refunds (decided_by);
-- Only one refund of an order waits or is sent at a time.
create unique index order_refunds_pending on order_refunds (order_uid)
  where state in ('requested', 'sending');

-- Messages of the provider that were accepted, so that each counts once.
create table payment_events (
  id text primary key,
  type text not null,
  received_at timestamptz not null default now()
);
create index payment_events_received on payment_events (received_at);

-- Double entry: the entries of a transaction add up to zero, and nothing is ever changed.
create table ledger_transactions (
  uid uuid primary key,
  -- The fact, such as payment:ch_123: each is recorded once.
  fact text not null unique,
  order_uid uuid not null,
  kind text not null check (kind in ('payment', 'refund', 'dispute', 'dispute_won')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  recorded_at timestamptz not null default now()
);
create index ledger_transactions_of_order on ledger_transactions (order_uid);
create table ledger_entries (
  transaction_uid uuid not null references ledger_transactions,
  position smallint not null,
  account text not null check (account in ('buyer', 'seller', 'store', 'provider')),
  amount_minor bigint not null check (amount_minor <> 0),
  primary key (transaction_uid, position)
);

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is append-only: record another transaction instead';
end $$;
create trigger append_only before update or delete on ledger_transactions
  for each row execute function refuse_ledger_change();
create trigger append_only before update or delete on ledger_entries
  for each row execute function refuse_ledger_change();
create trigger no_truncate before truncate on ledger_transactions
  for each statement execute function refuse_ledger_change();
create trigger no_truncate before truncate on ledger_entries
  for each statement execute function refuse_ledger_change();

create function check_ledger_sum() returns trigger language plpgsql as $$
begin
  if (select sum(amount_minor) from ledger_entries where transaction_uid = new.transaction_uid) <> 0
  then
    raise exception 'The entries of ledger transaction % do not add up to zero',
      new.transaction_uid;
  end if;
  return null;
end $$;
create constraint trigger adds_up after insert on ledger_entries
  deferrable initially deferred
  for each row execute function check_ledger_sum();

-- Whether buyers can pay shows on the pages of the seller.
create function touch_listings_of_seller() returns trigger language plpgsql as $$
begin
  insert into listing_changes (game_uid)
  select uid
  from all_listings
  where owner_uid = new.user_uid;
  return null;
end $$;
create trigger touch_new after insert on payment_accounts for each row
  when (new.charges_enabled)
  execute function touch_listings_of_seller();
create trigger touch after update on payment_accounts for each row
  when (new.charges_enabled <> old.charges_enabled)
  execute function touch_listings_of_seller();
