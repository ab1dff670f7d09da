type SystemError = NodeJS.ErrnoException & { path?: string; dest?: string }

const FULL = 'is full. Make space there, then run this again.'
const FORBIDDEN = 'may not be used by this user. Run this as the user of the service.'

/** What the system reports of files, by its code, after the path that it is about. */
const fileErrors: Record<string, string> = {
  ENOTDIR: 'is no folder, or is below a file. Check the path.',
  EEXIST: 'is there already and cannot be replaced. Check the path.',
  EROFS: 'is on a disk that is mounted read-only. Mount it writable, or choose another folder.',
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  ENOSPC: `is on a disk that ${FULL}`,
  EDQUOT: `is on a disk that ${FULL}`,
}

/** The same for errors without a path. */
const otherErrors: Record<string, string> = {
  ENOSPC: `The disk of DATA_DIR or of the target ${FULL}`,
  EDQUOT: `The disk of DATA_DIR or of the target ${FULL}`,
  '53100': `The disk of the database ${FULL}`,
}

/** What went wrong as a sentence for operators, with the message of the system behind it. */
export function failureText(error: unknown): string {
  const { code = '', path, message } = error as SystemError
  const sentence = path && fileErrors[code] ? `${path} ${fileErrors[code]}` : otherErrors[code]
  return sentence ? `${sentence} (${message})` : message
}
