declare module 'yauzl'
declare module 'yazl'
