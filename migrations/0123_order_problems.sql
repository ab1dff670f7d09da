-- Why an order needs an operator, as a code with its values, so that pages can say it in the
-- language of the reader. The sentence in `problem` stays: orders from before have nothing else.
alter table orders add column problem_details jsonb;
