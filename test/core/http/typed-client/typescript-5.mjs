// openapi-typescript writes its files with the compiler API of TypeScript 5, which TypeScript 7
// does not have. Both are installed; this preload gives it the one it needs.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
})
