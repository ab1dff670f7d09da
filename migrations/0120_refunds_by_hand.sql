-- Transfers that operators sent back by hand. A refund of an order that was paid by transfer is
-- recorded at once; without a row here its money still has to be sent.
create table manual_refunds (
  refund_uid uuid primary key references order_refunds on delete cascade,
  reference text not null,
  sent_by uuid references users on delete set null,
  sent_at timestamptz not null default now()
);
create index manual_refunds_by on manual_refunds (sent_by);

-- What the console lists, newest first.
create index orders_newest on orders (created_at desc, uid);
