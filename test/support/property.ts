import fc from 'fast-check'

// A fixed seed makes runs of the same commit repeatable. SEED sets another seed, and
// `npm run faults -- properties` tries many.
fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 4158) })

export { fc }
