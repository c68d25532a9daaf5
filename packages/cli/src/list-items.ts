import { CliError } from './cli-error.ts';

interface Page<Item> {
  items: Item[];
  next_page: string | null;
}

/** Larger pages are not promised by every version of the service. */
const pageItemsMax = 100;

/** Reads pages until there are no more, or `itemsMax` items are there. */
export async function listItems<Item>(
  fetchPage: (page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
  itemsMax = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  while (items.length < itemsMax) {
    const page = await fetchPage({ limit: Math.min(pageItemsMax, itemsMax - items.length), cursor });
    items.push(...page.items);
    if (page.next_page === null) break;
    if (seen.has(page.next_page))
      throw new CliError('server', 'The server names a page again that it has given already.');
    seen.add(page.next_page);
    cursor = page.next_page;
  }
  return items;
}
