"""Old chats from elsewhere: reading, staging, extracting and writing them."""
