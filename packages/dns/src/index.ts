export { type Answers, type Catalog, catalogText, parseCatalog, TTL_SECONDS } from './catalog.ts'
export { type Lookup, makeLookup, type Owned } from './lookup.ts'
