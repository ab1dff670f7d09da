-- What sales reports count by. The country is that of the payment as the provider reports it; how
-- the buyer came to the listing is only one of a few words. Null means unknown. The checks hold for
-- new rows at once; the old ones are all null.
alter table orders add column country text;
alter table orders add column discovery text;
alter table orders add constraint orders_country check (country ~ '^[A-Z]{2}$') not valid;
alter table orders add constraint orders_discovery check (
  discovery in (
    'search', 'home', 'tag', 'developer', 'listing', 'external', 'direct', 'other', 'app'
  )
) not valid;
