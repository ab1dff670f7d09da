-- What the last import left in each field, as short marks: a field that has another one now was edited here, and is not overwritten unasked.
create table extstore_imports (
  game_uid uuid primary key references extstore_links on delete cascade,
  marks jsonb not null,
  updated_at timestamptz not null default now()
);
