"""Following message lists that clients send anew (R4)."""

from datetime import UTC, datetime, timedelta

from memory.extract.protocol import Said
from memory.thread import Following, KnownThreads, Node, follow
from schemas.turn import Turn

START = datetime(2025, 6, 1, 9, tzinfo=UTC)


def user(text: str) -> Said:
    return Said("user", text)


def reply(text: str) -> Said:
    return Said("assistant", text)


class Client:
    """Stores what :func:`follow` calls new, as the shard does."""

    def __init__(self) -> None:
        self.known = KnownThreads()
        self.turns: list[Turn] = []
        self.clock = START
        self.started = 0

    def sends(self, *messages: Said, conversation: str | None = None, after: float = 60) -> Following:
        self.clock += timedelta(seconds=after)
        found = follow(self.known, messages, at=self.clock, silence_s=600, conversation=conversation)
        if found.conversation is None:
            self.started += 1
        name = found.conversation or f"c{self.started}"
        self.at = (name, found.parent)
        for said in found.new:
            self.stored(said)
        return found

    def stored(self, said: Said) -> str:
        conversation, parent = self.at
        self.clock += timedelta(seconds=1)
        turn = Turn(
            id=f"t{len(self.turns) + 1}",
            user="u",
            conversation=conversation,
            exchange="e",
            parent=parent,
            at=self.clock,
            role=said.role,
            content=said.text,
        )
        self.turns.append(turn)
        self.known.add(Node.of(turn))
        self.at = (conversation, turn.id)
        return turn.id

    def answers(self, text: str) -> str:
        return self.stored(reply(text))


def test_a_resent_list_stores_only_what_is_new():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    found = client.sends(user("你好"), reply("您好！"), user("推荐一本书"))
    assert (found.conversation, found.parent, found.new) == ("c1", "t2", (user("推荐一本书"),))


def test_a_first_message_opens_a_conversation_and_its_retry_does_not():
    client = Client()
    assert client.sends(user("你好")).conversation is None
    again = client.sends(user("你好"))
    assert (again.conversation, again.parent, again.new) == ("c1", "t1", ())


def test_the_same_words_after_the_silence_are_a_new_conversation():
    client = Client()
    client.sends(user("你好"))
    assert client.sends(user("你好"), after=700).conversation is None


def test_the_same_words_once_answered_are_a_new_conversation():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    assert client.sends(user("你好")).conversation is None


def test_conversations_with_the_same_beginning_are_told_apart_by_what_follows():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！有什么可以帮您？")
    client.sends(user("你好"))
    client.answers("嗨，今天想聊什么？")
    first = client.sends(user("你好"), reply("您好！有什么可以帮您？"), user("我想减肥"))
    second = client.sends(user("你好"), reply("嗨，今天想聊什么？"), user("推荐电影"))
    assert (first.conversation, second.conversation) == ("c1", "c2")


def test_identical_beginnings_part_where_they_differ():
    client = Client()
    for wish in ("我想减肥", "推荐电影"):
        client.sends(user("你好"))
        client.answers("您好！")
        client.sends(user("你好"), reply("您好！"), user(wish))
        client.answers(f"好的：{wish}")
    found = client.sends(user("你好"), reply("您好！"), user("我想减肥"), reply("好的：我想减肥"), user("从哪开始"))
    assert (found.conversation, len(found.new)) == ("c1", 1)


def test_a_foreign_list_with_a_common_greeting_is_a_conversation_of_its_own():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    found = client.sends(user("你好"), reply("Bonjour, comment ça va ?"), user("帮我看看这段"))
    assert (found.conversation, len(found.new)) == (None, 3)


def test_a_regenerated_reply_hangs_beside_the_old_one():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    client.sends(user("你好"), reply("您好！"), user("讲个故事"))
    client.answers("从前……")
    found = client.sends(user("你好"), reply("您好！"), user("讲个故事"))
    assert (found.parent, found.new) == ("t3", ())


def test_an_edited_message_starts_a_branch_at_its_place():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    client.sends(user("你好"), reply("您好！"), user("讲个故事"))
    client.answers("从前……")
    found = client.sends(user("你好"), reply("您好！"), user("讲个笑话"))
    assert (found.conversation, found.parent, found.new) == ("c1", "t2", (user("讲个笑话"),))


def test_the_branch_that_the_client_shows_is_followed():
    client = Client()
    client.sends(user("讲个故事给我听听吧，长一点"))
    client.answers("从前有座山")
    client.sends(user("讲个故事给我听听吧，长一点"), conversation="c1")
    client.answers("海边住着一位渔夫")
    found = client.sends(user("讲个故事给我听听吧，长一点"), reply("从前有座山"), user("然后呢"))
    assert (found.conversation, found.parent) == ("c1", "t2")


def test_a_copy_of_a_reply_may_be_cut_reflowed_or_without_its_reasoning():
    client = Client()
    client.sends(user("介绍一下杭州"))
    client.answers("<think>想想</think>杭州是浙江省会[1]，\n\n有西湖。")
    for copy in ("杭州是浙江省会", "杭州是浙江省会， 有西湖。", "<think>x</think>杭州是浙江省会，有西湖。"):
        found = follow(client.known, [user("介绍一下杭州"), reply(copy), user("还有呢")], at=client.clock, silence_s=600)
        assert (found.conversation, found.parent, found.new) == ("c1", "t2", (user("还有呢"),))


def test_a_reply_that_was_never_stored_is_passed_over():
    client = Client()
    client.sends(user("今天吃什么"))
    found = client.sends(user("今天吃什么"), user("快点"))
    assert (found.conversation, found.parent, found.new) == ("c1", "t1", (user("快点"),))


def test_a_named_conversation_goes_on_at_its_tip_with_single_messages():
    client = Client()
    client.sends(user("第一句"), conversation="main")
    client.answers("好")
    found = client.sends(user("第二句"), conversation="main")
    assert (found.conversation, found.parent, found.new) == ("main", "t2", (user("第二句"),))


def test_a_named_conversation_may_be_resent_with_its_beginning_cut():
    client = Client()
    client.sends(user("第一句"), conversation="main")
    client.answers("好的，记住了")
    client.sends(user("第二句"), conversation="main")
    client.answers("明白，继续")
    found = client.sends(user("第二句"), reply("明白，继续"), user("第三句"), conversation="main")
    assert (found.parent, found.new) == ("t4", (user("第三句"),))


def test_threads_are_rebuilt_from_stored_turns_in_any_order():
    client = Client()
    client.sends(user("你好"))
    client.answers("您好！")
    rebuilt = KnownThreads()
    rebuilt.add_turns(reversed(client.turns))
    rebuilt.add_turns(client.turns)
    found = follow(rebuilt, [user("你好"), reply("您好！"), user("再见")], at=client.clock, silence_s=600)
    assert (found.conversation, found.parent) == ("c1", "t2")


def test_a_dropped_conversation_is_forgotten():
    client = Client()
    client.sends(user("你好"))
    client.known.drop("c1")
    assert client.sends(user("你好")).conversation is None
    assert len(client.known.nodes) == 1


def test_a_clients_own_greeting_in_front_is_passed_over():
    client = Client()
    assert client.sends(reply("How can I help?"), user("你好")).new == (user("你好"),)
    assert follow(KnownThreads(), [], at=START, silence_s=600).new == ()
