import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Place, STATE_FOLDER } from './place.ts'

const OWNER = 'checkout'

/** Notes whose lab it is, for the day when the checkout has been deleted with its lab still up. */
export const noteOwner = ({ folder, checkout }: Place): void => writeFileSync(join(folder, OWNER), checkout)

/** Labs of checkouts that are no longer there, so that nobody could ask for their removal. */
export function orphans(): readonly Place[] {
  if (!existsSync(STATE_FOLDER)) return []
  return readdirSync(STATE_FOLDER).flatMap((prefix) => {
    const folder = join(STATE_FOLDER, prefix)
    const checkout = ownerOf(folder)
    if (checkout === undefined || existsSync(checkout)) return []
    return [{ checkout, purpose: 'lab', prefix, folder } as const]
  })
}

function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, OWNER), 'utf8')
  } catch {
    return undefined
  }
}
