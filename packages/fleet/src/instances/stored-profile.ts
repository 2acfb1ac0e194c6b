import * as z from 'zod'
import type { SourceProfile } from './record.ts'

const storedProfile = z.strictObject({
  application_directory: z.string(),
  framework: z.enum(['laravel', 'symfony']).nullable(),
  php: z.boolean(),
})

/** The text of the profile column. */
export const formatProfile = ({ applicationDirectory, framework, php }: SourceProfile): string =>
  JSON.stringify({ application_directory: applicationDirectory, framework, php })

/** The profile column as it was written; undefined before the source was examined. */
export function parseProfile(text: string | null): SourceProfile | undefined {
  if (text === null) return undefined
  const {
    application_directory: applicationDirectory,
    framework,
    php,
  } = storedProfile.parse(JSON.parse(text))
  return { applicationDirectory, framework, php }
}
