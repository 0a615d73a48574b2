// Third step of generating TypeScript (see build/generate): writes the folder schemas, the valibot
// schemas of what window and panel receive. A schema has the name of its type and lies in a file
// with the name of the type's Go file: Tab of session.go is tabSchema in schemas/session.ts. Only
// what the code imports is written. To get a schema, import it and run `make generate`.
// Usage: node schemas.mjs [PROTOCOL.TS FOLDER]
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const here = fileURLToPath(new URL('.', import.meta.url));
const [input = join(here, 'protocol.ts'), output = join(here, 'schemas')] = process.argv.slice(2);

/** The folders whose imports say which schemas are needed. */
const importers = ['../../src', '..', '../../../extension/src'].map((path) => join(here, path));

/**
 * Files whose schemas accept words that this version does not know. The record of the activity
 * stays on disk when the user goes back to an earlier version. Such a file has its own schemas of
 * the types of other files.
 */
const open = new Set(['activity']);

/** The types, each with the name of its Go file. */
const types = new Map();
/** The constants, as they are written. */
const constants = new Map();

const text = readFileSync(input, 'utf8');
const sections = [...text.matchAll(/^\/\/ source: (\w+)\.go$/gm)];
for (const node of ts.createSourceFile(input, text, ts.ScriptTarget.Latest, true).statements) {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
    const section = sections.findLast(({ index }) => index < node.getStart());
    types.set(node.name.text, { node, file: section[1] });
  } else if (ts.isVariableStatement(node)) {
    const [{ name, initializer }] = node.declarationList.declarations;
    constants.set(name.text, initializer.getText());
  }
}

/** LLMState gives llmStateSchema. */
function schemaName(type) {
  return type.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase()) + 'Schema';
}

/** The types whose schemas the code imports. Tests do not count. */
function importedTypes() {
  const named = new Map([...types.keys()].map((type) => [schemaName(type), type]));
  const found = new Set();
  for (const folder of importers) {
    for (const path of readdirSync(folder, { recursive: true })) {
      if (!/(?<!\.test)\.ts$|\.svelte$/.test(path)) continue;
      if (/^protocol[/\\]schemas[/\\]/.test(path)) continue;
      const code = readFileSync(join(folder, path), 'utf8');
      for (const [, names] of code.matchAll(/import \{([^}]*)\} from '[^']*\/schemas\/\w+'/g)) {
        for (const name of names.match(/\w+/g)) {
          if (!named.has(name)) throw new Error(`${path}: protocol.ts has no type for ${name}`);
          found.add(named.get(name));
        }
      }
    }
  }
  return found;
}

/** Whether a type is a union of constants. */
function isWord({ type }) {
  return type !== undefined && ts.isUnionTypeNode(type) && type.types.every(ts.isTypeQueryNode);
}

/** The lines between two brackets. */
function block(lines) {
  return lines.map((line) => `\n  ${line},`).join('') + '\n';
}

/** One generated file. */
class SchemaFile {
  /** The schemas by type; each comes after those that it needs. */
  schemas = new Map();
  /** The names that are imported, by file. */
  imports = new Map();

  constructor(name) {
    this.name = name;
  }

  /** The expression for a type that is used in this file. */
  use(name) {
    const { node, file } = types.get(name);
    const named = ts.isInterfaceDeclaration(node) || ts.isUnionTypeNode(node.type);
    if (!named) return this.expression(node.type, name);
    if (open.has(this.name)) {
      if (isWord(node)) return `${this.import('../border', 'word')}<p.${name}>()`;
    } else if (file !== this.name) {
      fileOf(file).add(name);
      return this.import(`./${file}`, schemaName(name));
    }
    this.add(name);
    return schemaName(name);
  }

  import(from, name) {
    this.imports.set(from, (this.imports.get(from) ?? new Set()).add(name));
    return name;
  }

  add(name) {
    if (this.schemas.get(name) === '')
      throw new Error(`${name} contains itself: write v.lazy here`);
    if (this.schemas.has(name)) return;
    this.schemas.set(name, '');
    const { node } = types.get(name);
    const schema = ts.isInterfaceDeclaration(node) ? this.object(node) : this.union(node);
    // Again, to get behind what it needs.
    this.schemas.delete(name);
    this.schemas.set(name, schema);
  }

  object({ name, heritageClauses = [], members }) {
    const bases = heritageClauses.flatMap((clause) => clause.types);
    return `v.object({${block([
      ...bases.map(({ expression }) => `...${this.use(expression.text)}.entries`),
      ...members.map((field) => {
        const key = field.name.getText();
        const where = `${name.text}.${key}`;
        return field.questionToken
          ? `${key}: v.exactOptional(${this.expression(field.type, where)})`
          : `${key}: ${this.required(field.type, where)}`;
      }),
    ])}})`;
  }

  union(node) {
    const { name, type } = node;
    return isWord(node)
      ? `v.picklist([${block(type.types.map(({ exprName }) => constants.get(exprName.text)))}])`
      : `v.variant('type', [${block(type.types.map((one) => this.expression(one, name.text)))}])`;
  }

  /** What is always there. Go writes a list or map without a value as null. */
  required(node, where) {
    if (ts.isArrayTypeNode(node))
      return `${this.import('../border', 'list')}(${this.required(node.elementType, where)})`;
    const schema = this.expression(node, where);
    return ts.isTypeLiteralNode(node) ? `v.nullish(${schema}, {})` : schema;
  }

  expression(node, where) {
    switch (node.kind) {
      case ts.SyntaxKind.StringKeyword:
        return 'v.string()';
      case ts.SyntaxKind.NumberKeyword:
        return 'v.number()';
      case ts.SyntaxKind.BooleanKeyword:
        return 'v.boolean()';
      case ts.SyntaxKind.UnknownKeyword:
        return 'v.unknown()';
      case ts.SyntaxKind.LiteralType:
        return `v.literal(${node.getText()})`;
      case ts.SyntaxKind.TypeReference:
        return this.use(node.getText());
      case ts.SyntaxKind.ArrayType:
        return `v.array(${this.required(node.elementType, where)})`;
      case ts.SyntaxKind.TupleType:
        return `v.tuple([${node.elements.map((one) => this.required(one, where)).join(', ')}])`;
      case ts.SyntaxKind.TypeLiteral:
        if (node.members.length === 1 && ts.isIndexSignatureDeclaration(node.members[0]))
          return `v.record(v.string(), ${this.required(node.members[0].type, where)})`;
    }
    throw new Error(`${where}: no schema is known for ${node.getText()}`);
  }

  text() {
    const names = [...this.schemas.keys()];
    const imports = [...this.imports].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      '// Code generated by schemas.mjs. DO NOT EDIT.',
      "import * as v from 'valibot';",
      "import type { Agrees, AssertAll } from '../border';",
      ...imports.map(([from, all]) => `import { ${[...all].sort().join(', ')} } from '${from}';`),
      "import type * as p from '../protocol';",
      ...names.map((name) => {
        const own = types.get(name).file === this.name;
        return `\n${own ? 'export ' : ''}const ${schemaName(name)} = ${this.schemas.get(name)};`;
      }),
      '\n/** Does not compile when a schema and its type differ. */',
      'export type SchemasAgree = AssertAll<{',
      ...names.map((name) => `  ${name}: Agrees<typeof ${schemaName(name)}, p.${name}>;`),
      '}>;\n',
    ].join('\n');
  }
}

const files = new Map();
function fileOf(name) {
  if (!files.has(name)) files.set(name, new SchemaFile(name));
  return files.get(name);
}

const wanted = importedTypes();
// In the order of protocol.ts, so that an import elsewhere does not move what is written.
for (const [name, { file }] of types) if (wanted.has(name)) fileOf(file).use(name);

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const [name, file] of files) writeFileSync(join(output, `${name}.ts`), file.text());
