// Owns finding JSON objects in free text. It only finds; whether one of them is a verdict is decided by schema, and two of them are none.

/** Most text that is searched, in characters, from the end. */
const textLengthMax = 1_000_000;
/** Most objects looked for; more than one is already ambiguous. */
const objectsMax = 8;
/** Most characters that are looked at in all, since every opening brace may have to be followed to the end of the text. */
const looksMax = 20_000_000;

/** The outermost JSON objects of a text, in order, at most eight; braces inside strings do not count. None when the text takes too long to search. */
export function jsonObjectsIn(text: string): object[] {
  const searched = text.slice(-textLengthMax);
  const found: object[] = [];
  let looks = 0;
  for (let at = nextOpening(searched, 0); at !== -1 && found.length < objectsMax; ) {
    const { end, seen } = followObject(searched, at);
    looks += seen;
    // What was found so far may not be all, so it is nothing.
    if (looks > looksMax) return [];
    const value = end === -1 ? undefined : parse(searched.slice(at, end + 1));
    if (value !== undefined) found.push(value);
    at = nextOpening(searched, value === undefined ? at + 1 : end + 1);
  }
  return found;
}

/** The next brace that can open a JSON object: a key or the closing brace follows. */
function nextOpening(text: string, from: number): number {
  const opening = /\{(?=\s*["}])/g;
  opening.lastIndex = from;
  return opening.exec(text)?.index ?? -1;
}

/** Where the object that opens at `start` closes (-1: nowhere), and how many characters were looked at. */
function followObject(text: string, start: number): { end: number; seen: number } {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return { end: at, seen: at - start };
  }
  return { end: -1, seen: text.length - start };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
