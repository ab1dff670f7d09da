-- Labels of listings that moderators set. Editors cannot undo them until the decision is undone. The
-- previous version lets them.
create table locked_labels (
  game_uid uuid not null references all_listings on delete cascade,
  field text not null check (field in ('adult', 'content_warnings', 'tags')),
  value text not null,
  -- Whether the listing must have the value; before the decision it was the other way round.
  present boolean not null,
  action_uid uuid not null,
  primary key (game_uid, field, value)
);
