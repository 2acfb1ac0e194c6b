/** Component schemas that every operation shares. */
export const sharedSchemas = {
  Meta: {
    type: 'object',
    properties: {
      request_id: {
        type: 'string',
        format: 'uuid',
        description: 'The id that the gateway assigned or accepted.',
      },
    },
    required: ['request_id'],
    additionalProperties: false,
  },
  // A component of its own: generators name a type after the last part of what refers to it.
  ErrorBody: {
    type: 'object',
    properties: {
      code: {
        type: 'string',
        pattern: '^[a-z0-9_-]+\\.[a-z0-9_]+$',
        description: 'Stable code, `<family>.<reason>`.',
      },
      message: {
        type: 'string',
        description: 'Message without credentials, environment values or output of a Node.',
      },
      details: {
        type: 'object',
        additionalProperties: true,
        description: 'Bounded, redacted details of the error.',
      },
      request_id: { type: 'string', format: 'uuid' },
    },
    required: ['code', 'message'],
    additionalProperties: false,
  },
  Error: {
    type: 'object',
    properties: { error: { $ref: '#/components/schemas/ErrorBody' } },
    required: ['error'],
    additionalProperties: false,
  },
} as const

/** Headers a caller may send with any operation (GW-015 to GW-017). */
export const sharedParameters = {
  RequestId: {
    name: 'X-Fleet-Request-Id',
    in: 'header',
    required: false,
    description: 'Id of the request. If it is absent or not a UUID, the gateway creates one.',
    schema: { type: 'string', format: 'uuid' },
  },
  Client: {
    name: 'X-Fleet-Client',
    in: 'header',
    required: false,
    description: 'Short name of the client, stored with the Activity.',
    schema: { type: 'string' },
  },
  ClientVersion: {
    name: 'X-Fleet-Client-Version',
    in: 'header',
    required: false,
    description: 'Version of the client, stored with the Activity.',
    schema: { type: 'string' },
  },
} as const

export const sharedHeaders = {
  RequestId: { description: 'Id of the request.', schema: { type: 'string', format: 'uuid' } },
} as const

/** What agents send besides coming from the address of their Node. */
export const sharedSecurity = {
  agentSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'Secret of the agent of a Node, which its setup writes on that Node alone.',
  },
} as const

export const requestIdHeader = { 'X-Fleet-Request-Id': { $ref: '#/components/headers/RequestId' } } as const
export const headerParameters = [
  { $ref: '#/components/parameters/RequestId' },
  { $ref: '#/components/parameters/Client' },
  { $ref: '#/components/parameters/ClientVersion' },
] as const
