export { makeDatabases, type DatabasesDomain, type DatabasesParts } from './make.ts'
export type { Address, DatabaseEngines } from './ports.ts'
