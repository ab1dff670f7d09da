import fc from 'fast-check'

// The same commit gives the same answer, so a red run is about what was changed; SEED looks elsewhere, `npm run faults -- properties` at many.
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 4158) })

export { fc }
