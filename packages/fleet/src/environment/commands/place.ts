import { posix } from 'node:path'
import { DURABLE, textFile, type Word } from '@fleet/shell'
import { ENVIRONMENT_LIMITS } from '#/environment/format/index.ts'

/** Path and owner of an environment file of an Instance (ENV-018, ENV-019). Derived from the record, never from a request. */
export interface EnvironmentPlace {
  /** User the file belongs to. */
  readonly user: string
  /** Absolute path of the Project's folder, or of the production home. No link, and no step below it is one. */
  readonly root: string
  /** Directory of the file below the root; empty for the root itself. */
  readonly directory: string
  readonly file: FileName
}

export type FileName = '.env' | '.env.testing'

export const filePathOf = ({ root, directory, file }: EnvironmentPlace): string =>
  posix.join(root, directory, file)

export const placeWords = ({ user, root, directory, file }: EnvironmentPlace): readonly Word[] => [
  user,
  root,
  directory,
  file,
]

/** What both scripts start with (POSIX sh; GNU, BSD and BusyBox tools). */
export const LIBRARIES: readonly string[] = [DURABLE, textFile('env-file.sh', import.meta.url)]

const ANSWER_BYTES = 4096

export const common = {
  as: 'login',
  // A directory on a hanging network mount must not hold the Instance for the rest of the request.
  timeoutSeconds: 60,
  maxOutputBytes: ENVIRONMENT_LIMITS.fileBytes + ANSWER_BYTES,
} as const
