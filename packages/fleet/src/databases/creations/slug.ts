import { createHash } from 'node:crypto'
import { DATABASE_LIMITS } from '@fleet/contract'

const HASH_CHARACTERS = 8

/**
 * Slug of the database that an Instance is created with (INS-066); one that would be too long, or that two Instances could have, ends
 * with a digest of all of it.
 */
export function slugOf(project: string, instance: string): string {
  const { slugMaxCharacters: max } = DATABASE_LIMITS
  const whole = `${project}-${instance}`
  // Labels of domains may have several hyphens in a row, slugs may not.
  const slug = whole.replace(/-+/g, '-')
  if (slug === whole && slug.length <= max) return slug
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, HASH_CHARACTERS)
  return `${slug.slice(0, max - HASH_CHARACTERS - 1).replace(/-$/, '')}-${digest}`
}
