/**
 * The ids of the types whose arrays queries send or read, each with the id of its array type. They
 * are built into PostgreSQL and never change. Without them the driver would ask every new
 * connection for the array types of all tables: 290 rows, seven milliseconds of the server.
 */
export const ARRAY_TYPES: readonly [type: number, array: number][] = [
  /* bool */ [16, 1000],
  /* bytea */ [17, 1001],
  /* char */ [18, 1002],
  /* name */ [19, 1003],
  /* int8 */ [20, 1016],
  /* int2 */ [21, 1005],
  /* int4 */ [23, 1007],
  /* text */ [25, 1009],
  /* oid */ [26, 1028],
  /* json */ [114, 199],
  /* cidr */ [650, 651],
  /* float4 */ [700, 1021],
  /* float8 */ [701, 1022],
  /* inet */ [869, 1041],
  /* bpchar */ [1042, 1014],
  /* varchar */ [1043, 1015],
  /* date */ [1082, 1182],
  /* time */ [1083, 1183],
  /* timestamp */ [1114, 1115],
  /* timestamptz */ [1184, 1185],
  /* interval */ [1186, 1187],
  /* numeric */ [1700, 1231],
  /* regclass */ [2205, 2210],
  /* uuid */ [2950, 2951],
  /* pg_lsn */ [3220, 3221],
  /* jsonb */ [3802, 3807],
]
