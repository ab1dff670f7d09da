-- The account that a developer has disconnected from the store at the payment provider. They can
-- set up another; orders keep the account that they were paid into.
alter table payment_accounts add column disconnected_ref text;
