import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Json } from './service.ts'

/** Checks requests and responses against an OpenAPI document. */
export interface Contract {
  /** Fails on a response that the document does not describe. */
  checkResponse(method: string, path: string, status: number, body: unknown): void
  /** Whether the document allows this JSON body. */
  allows(method: string, path: string, body: unknown): boolean
}

/** The contract that a document is; paths are those below its server. */
export function contractOf(document: Json): Contract {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema(document, 'doc')
  const known = new Map<string, ValidateFunction>()
  const compile = (pointer: string) => {
    const found = known.get(pointer) ?? ajv.compile({ $ref: `doc#${pointer}` })
    known.set(pointer, found)
    return found
  }
  const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    matches: new RegExp(
      `^${template
        .replace('{id}', '\\d+')
        .replace(/\{\w+\}/g, '[^/]+')
        .replace(/\/$/, '')}/?$`,
    ),
  }))
  const templateOf = (path: string) => templates.find(({ matches }) => matches.test(path))?.template
  return {
    checkResponse(method, path, status, body) {
      const template = templateOf(path)
      const operation = template && document.paths[template][method.toLowerCase()]
      // What is no operation answers as every unknown place or method does.
      const failed = !operation && (status === 404 || status === 405 || status === 401)
      const response = operation?.responses[status]
      assert.ok(failed || response, `${method} ${path} answered ${status}, which the document does not describe`)
      const pointer = failed
        ? '/components/schemas/Error'
        : response.$ref
          ? `${response.$ref.slice(1)}/content/application~1json/schema`
          : `/paths/${escaped(template ?? '')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
      const validate = compile(pointer)
      assert.ok(
        validate(body),
        `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2000)}`,
      )
    },
    allows(method, path, body) {
      const template = templateOf(path) ?? ''
      return compile(
        `/paths/${escaped(template)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`,
      )(body)
    },
  }
}
