import { catalogue, doctorCodes, errorRegistry, eventRegistry } from '@fleet/contract'
import { type Declared, routeOf } from './row-names.ts'

/** What the contract declares. */
export const declared: Omit<Declared, 'exported'> = {
  codes: [errorRegistry, eventRegistry, doctorCodes].flatMap((table) => Object.keys(table)),
  paths: new Set(catalogue.map(({ method, path }) => routeOf(method, path))),
}
