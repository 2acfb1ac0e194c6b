import { type Origin, refuse } from './failure.ts'

/** Names of JavaScript packages, old ones with capitals too: what is valid in a path, with at most one scope. */
const NAME = /^(?:@[\w~!*'()-][\w.~!*'()-]*\/)?[\w~!*'()-][\w.~!*'()-]*$/
const LONGEST = 214

export const isPackageName = (text: string): boolean => text.length <= LONGEST && NAME.test(text)

export function packageName(text: string, origin: Origin): string {
  return isPackageName(text) ? text : refuse(origin, 'name')
}

export interface NameAndRest {
  readonly name: string
  readonly rest: string
}

/** `name@rest` and `@scope/name@rest`. */
export function splitName(text: string, origin: Origin): NameAndRest {
  const at = text.indexOf('@', 1)
  if (at < 0 || at === text.length - 1) refuse(origin, 'identity')
  return { name: packageName(text.slice(0, at), origin), rest: text.slice(at + 1) }
}
