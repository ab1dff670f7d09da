/** The storage key of the object of a file. */
export const fileKey = ({ object_uid, game_uid }: { object_uid: string; game_uid: string }) =>
  `builds/${game_uid}/${object_uid}.zip`
