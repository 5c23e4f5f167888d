"""The panel in a real Chromium: what a person does, by mouse and by keyboard; pictures of every page; an accessibility check.

Skipped where no Chromium is installed (``.ci/run`` installs one).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.serve.house import House
from tests.serve.panel.board import HouseJobs

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = Path(__file__).parents[3] / "artifacts" / "panel"
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)> \u202eRTL שלום **粗体** " + "长" * 1800
PAGES = ("", "memories", "changes", "profile", "learning", "import", "jobs", "health")

expect.set_options(timeout=60_000)  # it ends with the event; a busy machine takes long to read an import

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium")


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        await opened.close()


@pytest.fixture
async def tab(browser: Browser, house: House) -> AsyncIterator[Page]:
    """A Chinese reader's tab, signed in as the owner by the link; it fails the test on any error in the console."""
    context = await browser.new_context(locale="zh-CN", viewport={"width": 1100, "height": 760})
    page = await context.new_page()
    trouble: list[str] = []
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" and not re.search("503|403", said.text) else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    link = (await house.as_("owner", ["user", "admin"]).post("/v1/panel/links")).json()["url"]
    await page.goto(link)
    await expect(page).to_have_url(f"{house.url}/panel")
    yield page
    assert not trouble
    await context.close()


async def test_told_in_the_chat_then_corrected_where_it_was_used(tab: Page, house: House) -> None:
    house.model.reply = "记住了。"
    await say(tab, "我早上只喝无糖豆浆。")
    await expect(tab.locator(".turn.assistant .words")).to_have_text("记住了。")
    await house.service.idle("owner")
    await tab.get_by_role("link", name="新对话").click()
    house.model.reply = "你喝**无糖豆浆**。"
    await say(tab, "我早上喝什么？")
    await expect(tab.locator(".turn.assistant strong")).to_have_text("无糖豆浆")
    await tab.locator(".used summary").click()
    await tab.get_by_role("link", name="更正").click()
    await tab.get_by_label("一句话").fill("我早上只喝无糖豆奶。")
    await tab.get_by_role("button", name="保存").click()
    await expect(tab.locator("h1")).to_have_text("我早上只喝无糖豆奶。")
    assert [m["text"] for m in await house.memories("owner")] == ["我早上只喝无糖豆奶。"]


async def test_a_reply_that_fails_keeps_what_was_typed(tab: Page, house: House) -> None:
    house.model.state = house.model.state.model_copy(update={"state": "loading"})
    await say(tab, "在吗？")
    await expect(tab.get_by_role("alert").last).to_contain_text("loading")
    await expect(tab.get_by_label("消息")).to_have_value("在吗？")


async def test_a_thumb_is_kept(tab: Page, house: House) -> None:
    await say(tab, "你好")
    await tab.get_by_role("button", name="回答不好").click()
    await expect(tab.get_by_role("button", name="回答不好")).to_have_attribute("aria-pressed", "true")
    behaviour = (await house.as_("owner").get("/v1/profile")).json()["behaviour"]
    assert behaviour["thumbs_down"] == 1


async def test_deleted_and_taken_back_by_keyboard_alone(tab: Page, house: House) -> None:
    await house.tell("owner", "我住在苏州。")
    await tab.keyboard.press("Tab")
    await expect(tab.get_by_role("link", name="跳到正文")).to_be_focused()
    await tab_to(tab, "记忆")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("tbody tr")).to_have_count(1)
    await tab_to(tab, "删除: ")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("h1")).to_have_text("已删除")
    assert not await house.memories("owner")
    await tab_to(tab, "撤销")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("tbody tr")).to_have_count(1)


async def test_a_job_is_run_and_watched_to_its_end_by_keyboard_alone(tab: Page, house: House) -> None:
    board = HouseJobs(house)
    house.parts = replace(house.parts, jobs=board)
    await tab_to(tab, "任务")
    await tab.keyboard.press("Enter")
    await tab.wait_for_url("**/panel/jobs")
    await tab_to(tab, "运行")
    await tab.keyboard.press("Enter")
    await board.ended()
    await expect(tab.locator("main strong").first).to_have_text("成功")  # the page loads itself again while the job runs
    await expect(tab.get_by_role("heading", name="做了什么")).to_be_visible()
    [job] = await board.list()
    await checked(tab, "job-zh-CN-light")
    await tab_to(tab, "← 任务")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("link", name=job.id)).to_be_visible()


async def test_the_schedule_is_held_and_let_go_by_keyboard_alone(tab: Page, house: House) -> None:
    await tab.goto(f"{house.url}/panel/jobs")
    await tab_to(tab, "全部暂停")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("定时任务已暂停。")).to_be_visible()
    assert (await house.as_("owner").get("/v1/schedule")).json()["paused"] is True
    await tab_to(tab, "恢复运行")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("定时任务运行中。")).to_be_visible()


async def test_a_file_is_looked_at_then_imported_and_taken_back_by_keyboard_alone(tab: Page, house: House, tmp_path: Path) -> None:
    house.parts = replace(house.parts, jobs=HouseJobs(house))
    chat = tmp_path / "旧聊天.jsonl"
    chat.write_text('{"messages": [{"role": "user", "content": "我对芒果过敏。"}, {"role": "user", "content": "今天天气不错。"}]}')
    await tab_to(tab, "导入")
    await tab.keyboard.press("Enter")
    await tab.wait_for_url("**/panel/import")
    await tab_to_field(tab, "[type=file]")
    async with tab.expect_file_chooser() as choosing:
        await tab.keyboard.press("Enter")
    await (await choosing.value).set_files(chat)
    await tab_to(tab, "先看看会记住什么")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("什么都没有保存：这只是试看。")).to_be_visible()
    await expect(tab.locator("#told tbody th")).to_contain_text(["芒果"])
    await expect(tab.locator("#told")).to_be_focused()
    assert not await house.memories("owner")
    await checked(tab, "import-dry-run-zh-CN-light")
    await tab_to(tab, "现在导入这些文件")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("#told h2", has_text="记住了")).to_be_visible()
    assert ["芒果" in memory["text"] for memory in await house.memories("owner")] == [True]
    await tab_to(tab, "撤销这次导入……")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("h1")).to_have_text("撤销这次导入？")
    await checked(tab, "import-undo-zh-CN-light")
    await tab_to_field(tab, "[type=checkbox]")
    await tab.keyboard.press("Space")
    await tab_to(tab, "撤销导入")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("status")).to_contain_text("已移除 2 条对话、1 条记忆")
    assert not await house.memories("owner")


async def test_a_dropped_file_is_chosen_and_a_broken_one_is_told_in_place(tab: Page, house: House) -> None:
    house.parts = replace(house.parts, jobs=HouseJobs(house))
    await tab.goto(f"{house.url}/panel/import")
    dropped = await tab.evaluate_handle(
        "() => { const d = new DataTransfer(); d.items.add(new File(['{\"a\": 1}'], 'x.json')); return d; }"
    )
    await tab.locator("#upload").dispatch_event("drop", {"dataTransfer": dropped})
    assert await tab.locator("[type=file]").evaluate("field => field.files[0].name") == "x.json"
    await tab.get_by_role("button", name="导入", exact=True).click()
    await expect(tab.locator("#told .alert")).to_contain_text("x.json")
    await tab.evaluate("document.body.dataset.csrf = 'old'")
    await tab.get_by_role("button", name="导入", exact=True).click()
    await expect(tab.locator("#trouble")).to_contain_text("out of date")


async def test_a_proposal_is_approved_and_taken_back_by_keyboard_alone(tab: Page, house: House) -> None:
    await house.as_("owner").post("/v1/revisions", json={"replacement": "回答先说结论，再说过程。"})
    await tab_to(tab, "学习")
    await tab.keyboard.press("Enter")
    await expect(tab.locator(".revision ins")).to_have_text("回答先说结论，再说过程。")
    await checked(tab, "learning-waiting-zh-CN-light")
    await tab_to_field(tab, "[type=checkbox]")
    await tab.keyboard.press("Space")
    await tab_to(tab, "同意")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("没有待决定的。")).to_be_visible()
    await tab_to(tab, "显示差别")
    await tab.keyboard.press("Enter")
    await tab.wait_for_url("**a=**")
    await tab_to(tab, "撤回你自己的全部规则……")
    await tab.keyboard.press("Enter")
    await expect(tab.locator("h1")).to_have_text("回退到 u0？")
    await expect(tab.locator("del")).to_contain_text("回答先说结论，再说过程。")
    await checked(tab, "rollback-zh-CN-light")
    await tab_to_field(tab, "[type=checkbox]")
    await tab.keyboard.press("Space")
    await tab_to(tab, "回退")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("还没有自己的规则。")).to_be_visible()
    versions = (await house.as_("owner").get("/v1/policies")).json()["data"]
    assert [one["restores"] for one in versions] == ["u0", None]
    await checked(tab, "learning-versions-zh-CN-light")


async def test_health_shows_faults_first_with_what_to_do(tab: Page, house: House) -> None:
    (house.home / "owner.key").write_text("k")
    (house.home / "owner.key").chmod(0o644)
    await tab_to(tab, "健康")
    await tab.keyboard.press("Enter")
    first = tab.locator(".findings li").first
    await expect(first).to_contain_text("故障")
    await expect(first).to_contain_text("他人可读：owner.key")
    await expect(first.locator("p")).to_contain_text("chmod 600")
    assert await tab.locator(".findings li").count() >= 12


async def test_hostile_text_stays_text_on_every_page(tab: Page, house: House) -> None:
    await house.as_("owner").post("/v1/memories", json={"text": HOSTILE})
    house.model.reply = HOSTILE
    await say(tab, HOSTILE)
    await expect(tab.locator(".turn.assistant footer")).to_be_visible()
    tab.on("dialog", lambda _: pytest.fail("a script ran"))
    for page in PAGES:
        await tab.goto(f"{house.url}/panel/{page}".rstrip("/"))
        assert "owned" not in await tab.title()
        assert await tab.locator("main img").count() == 0
        wide = await tab.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
        assert not wide, f"{page} scrolls sideways"


@pytest.mark.parametrize(("locale", "scheme", "width"), [("zh-CN", "light", 1100), ("en", "dark", 390)])
async def test_every_page_is_accessible_in_both_languages_light_dark_and_on_a_phone(
    browser: Browser, house: House, locale: str, scheme: str, width: int
) -> None:
    owner = house.as_("owner", ["user", "admin"])
    await house.tell("owner", "我住在苏州。", "我喜欢喝乌龙茶。", "My sister Ann lives in Oslo.", "我对花生过敏。", conversation="c1")
    await house.tell("owner", "我搬到杭州了。", conversation="c1")
    house.model.reply = "1. 乌龙茶\n2. **不加糖**"
    context = await browser.new_context(locale=locale, color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[arg-type]
    page = await context.new_page()
    entry = await page.goto(f"{house.url}/panel/enter")
    assert entry is not None
    await checked(page, f"enter-{locale}-{scheme}")
    await page.goto((await owner.post("/v1/panel/links")).json()["url"])
    await say(page, "我喜欢喝什么茶？")
    await expect(page.locator(".turn.assistant strong")).to_be_visible()
    await checked(page, f"chat-{locale}-{scheme}")
    memory = (await house.memories("owner"))[0]["id"]
    for path in (*PAGES[1:], f"memories/{memory}"):
        await page.goto(f"{house.url}/panel/{path}")
        await checked(page, f"{path.split('/')[0] if memory not in path else 'memory'}-{locale}-{scheme}")
    await context.close()


async def checked(page: Page, name: str) -> None:
    """A picture of the page for people to look at, and no serious finding of the accessibility check."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    found = await Axe().run(page)
    serious = [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    assert not serious, name
    assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"), f"{name} scrolls sideways"


async def say(page: Page, text: str) -> None:
    await page.locator("#text").fill(text)
    await page.locator("#text").press("Enter")


async def tab_to(page: Page, name: str) -> None:
    """Press Tab until something named so has the focus."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        label = await page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.trim()")
        if label == name or (name.endswith(": ") and label.startswith(name)):
            return
    pytest.fail(f"nothing named {name!r} can be reached by Tab")


async def tab_to_field(page: Page, selector: str) -> None:
    """Press Tab until a field, which has no text of its own, has the focus."""
    await expect(page.locator(selector).first).to_be_visible()
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{selector} can't be reached by Tab")
