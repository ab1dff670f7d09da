/** The file to run for an entry such as `src/main.ts`. */
export function bundledFile(entry: string): Promise<string>
